"""The archive: numbered download directories, each owned by one worker."""

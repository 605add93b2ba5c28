"""What the columns of each table show, and in which order they give way; one kind of row a file."""

# spiderd in a container: docs/how-to/run-in-a-container.md
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN pip install --no-cache-dir build && python -m build --wheel --outdir /wheels

FROM python:3.13-slim
RUN useradd --system --uid 990 --home-dir /data --create-home spiderd
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir /wheels/*.whl
USER spiderd
ENV SPIDERD_DATA_DIR=/data
VOLUME /data
# Requests in flight get ten seconds, then everything is committed.
STOPSIGNAL SIGTERM
# 0 it runs, 3 it does not, 4 nobody can say; Docker knows healthy (0) and not (1).
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD spiderd status || exit 1
ENTRYPOINT ["spiderd", "start"]

# freshtake with everything compiled: docker build -t freshtake . && docker run --rm -v "$PWD:/takes" freshtake learn walks/ -o walk.ftm
FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
RUN pip install --no-cache-dir build && python -m build --wheel --outdir /wheels .

FROM python:3.12-slim
COPY --from=build /wheels /wheels
COPY requirements/runtime.txt /wheels/runtime.txt
RUN pip install --no-cache-dir --require-hashes -r /wheels/runtime.txt \
    && pip install --no-cache-dir --no-deps /wheels/*.whl \
    && rm -rf /wheels
# Compiled code is kept where every user of the container can read it.
ENV NUMBA_CACHE_DIR=/var/cache/freshtake
RUN freshtake warm-up && chmod -R a+rwX /var/cache/freshtake
WORKDIR /takes
ENTRYPOINT ["freshtake"]
CMD ["--help"]

# The server with its programs for operators. docs/deploy.md says how to build and run it.
ARG NODE_VERSION=24
ARG DEBIAN=bookworm

FROM node:${NODE_VERSION}-${DEBIAN}-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
COPY mcp/package.json mcp/
COPY cli/package.json cli/
COPY conformance/package.json conformance/
COPY server/package.json server/
COPY ai-sdk/package.json ai-sdk/
COPY langgraph/package.json langgraph/
COPY examples/package.json examples/
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build
RUN node deploy/gather.mjs /app

FROM debian:${DEBIAN}-slim
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app /app
# A new volume at /data belongs to this user. The number lets an orchestrator see that it is not root.
RUN mkdir /data && chown 10001:10001 /data && chmod 700 /data
ENV PATH=/app/bin:/usr/local/bin:/usr/bin:/bin \
  NODE_ENV=production \
  APP_ENV=production \
  HOST=0.0.0.0 \
  PORT=8080 \
  SERVICE_DATA_DIR=/data
WORKDIR /data
USER 10001:10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["memory-server"]

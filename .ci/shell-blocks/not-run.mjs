const INSTALLED = 'npm run check:packages installs the packed package';
const CONTAINERS = 'needs Docker Compose; .ci/image/check.mjs builds and runs the image with Podman';

/** The shell blocks that no check runs, by document and the beginning of the block, and why. */
export const NOT_RUN = {
  'README.md': {
    'npm ci && npm run demo': 'installs the packages again; .ci/run does what both lines say',
    'npm run build && npx memory-conformance': 'looks at everything; npm run check:packages runs the command on a part',
    'export APP_ENV=production': 'needs a paid key of an embedding provider',
  },
  'docs/benchmarks.md': {
    'npm run bench  ': 'takes half an hour',
    'SERVICE_INDEX_MEMORY_MB=1536 npm run bench': 'takes a quarter of an hour, and gigabytes',
    'SERVICE_INDEX_MEMORY_MB=96 npm run bench': 'takes minutes',
    'npm run bench -- --against': 'takes minutes, and installs other services',
    'npm run bench -- --slow-disk': 'takes minutes, and strace',
    'export MONGODB_URI=$(npm run --silent mongodb:up)   #': 'takes minutes, and needs MongoDB',
    'export MONGODB_URI=$(npm run --silent mongodb:up)\n': 'takes minutes, and needs MongoDB',
    'npm run installs': 'takes minutes; npm run check:packages installs our packages',
  },
  'docs/chat.md': {
    'npm install @memory-service/sdk': INSTALLED,
  },
  'docs/cli.md': {
    'npx memory login --base-url https://staging':
      'needs a second service; cli/commands/profiles.test.ts has the commands',
    'npx memory recent            # …':
      'the ids are those of an example; cli/commands/short-ids.test.ts has the commands',
  },
  'docs/conformance.md': {
    'npx memory-conformance': 'looks at everything; npm run check:packages runs the command on a part',
  },
  'docs/contributing.md': {
    'npm ci && npm run build': 'installs the packages again; .ci/run does what the block says',
    'export MONGODB_URI=': 'installs an engine; .ci/run does the same',
  },
  'docs/dashboard.md': {
    'npm start': 'goes on until Ctrl-C; the README has the same',
  },
  'docs/deploy.md': {
    'cd deploy': CONTAINERS,
    'docker build': CONTAINERS,
    'docker compose down': CONTAINERS,
    'export MONGODB_URI=': CONTAINERS,
    'export MEMORY_DOMAIN=': CONTAINERS,
  },
  'docs/embedding.md': {
    'export SERVICE_EMBEDDING_PROVIDER=voyage': 'needs a paid key of an embedding provider',
    'VOYAGE_API_KEY=': 'needs paid keys of embedding providers',
  },
  'docs/fairness.md': {
    'npm run abuse': 'takes minutes; .ci/run runs the short form',
  },
  'docs/install.md': {
    'npm install': INSTALLED,
    'sudo useradd': 'makes a user and a service of this machine',
    'sudo systemd-run': 'makes a service of this machine',
  },
  'docs/mcp.md': {
    'claude mcp add': 'needs Claude Code',
    'npx memory mcp install': 'writes into the home of whoever runs it; cli/commands/mcp/install.test.ts runs it',
  },
  'docs/mongodb.md': {
    'export SERVICE_STORE=mongodb': 'needs MongoDB',
    'export MONGODB_URI=': 'installs an engine; .ci/run does the same',
  },
  'docs/search.md': {
    'npm run reembed': 'rebuilds the vectors of a data folder',
    'npm run eval': 'takes minutes',
  },
  'docs/ai-sdk.md': { 'npm install': INSTALLED },
  'docs/langgraph.md': { 'npm install': INSTALLED },
  'docs/telemetry.md': { 'export OTEL_EXPORTER_OTLP_ENDPOINT': 'goes on until Ctrl-C, and needs a collector' },
  'docs/upgrade.md': { 'npm install': INSTALLED },
  'sdk/README.md': { 'npm install': INSTALLED },
  'ai-sdk/README.md': { 'npm install': INSTALLED },
  'langgraph/README.md': { 'npm install': INSTALLED },
  'mcp/README.md': { 'npm install': INSTALLED },
  'cli/README.md': { 'npm install': INSTALLED },
  'conformance/README.md': {
    'npm install': INSTALLED,
    'npx memory-conformance': 'looks at everything; npm run check:packages runs the command on a part',
  },
  'server/README.md': {
    'npm install': INSTALLED,
    'npx memory-server': 'goes on until Ctrl-C; npm run check:packages starts it',
  },
};

import manifest from '../../package.json' with { type: 'json' };
import { describeTelemetry } from '../../testing/processes/telemetry.suite.js';

describeTelemetry({
  version: manifest.version,
  storeVariables: async () => ({}),
  driverError: (text) => new Error(text),
});

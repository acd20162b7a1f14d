import type { Attack } from '../attack.js';
import { chunkedWebhooks } from './chunked-webhooks.js';
import { contractReaders } from './contract-readers.js';
import { folding } from './folding.js';
import { hangingEndpoints } from './hanging-endpoints.js';
import { hostileInputs } from './hostile-inputs.js';
import { keywordQueries } from './keyword-queries.js';
import { largeBatches } from './large-batches.js';
import { largeJson } from './large-json.js';
import { largePages } from './large-pages.js';
import { manyTokens } from './many-tokens.js';
import { normalization } from './normalization.js';
import { nullCharacters } from './null-characters.js';
import { signInFlood } from './sign-in-flood.js';
import { silentBodies } from './silent-bodies.js';
import { slowReaders } from './slow-readers.js';
import { strangeBacklog } from './strange-backlog.js';
import { unreadExports } from './unread-exports.js';

/** All attacks, in the order in which they run. */
export const ATTACKS: readonly Attack[] = [
  nullCharacters,
  hostileInputs,
  normalization,
  folding,
  largeBatches,
  largeJson,
  silentBodies,
  chunkedWebhooks,
  signInFlood,
  manyTokens,
  contractReaders,
  largePages,
  unreadExports,
  slowReaders,
  keywordQueries,
  strangeBacklog,
  hangingEndpoints,
];

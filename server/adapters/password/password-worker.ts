import { serveWork } from '../threads/serve-work.js';
import { deriveKey } from './derive-key.js';

/** Runs scrypt, which is slow on purpose, in a worker thread. */
serveWork(deriveKey);

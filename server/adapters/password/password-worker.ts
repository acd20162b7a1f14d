import { serveWork } from '../threads/serve-work.js';
import { deriveKey } from './derive-key.js';

/** Runs in a thread of its own: scrypt, which is slow on purpose. */
serveWork(deriveKey);

import { serveWork } from '../threads/serve-work.js';
import { doTextWork, type TextOrder } from './do-text-work.js';
import { packed } from './text-answer.js';

/** Runs work on long texts in a worker thread. */
serveWork((order: TextOrder) => packed(() => doTextWork(order)));

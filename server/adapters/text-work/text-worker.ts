import { serveWork } from '../threads/serve-work.js';
import { doTextWork, type TextOrder } from './do-text-work.js';
import { packed } from './text-answer.js';

/** Runs in a thread of its own: work on long texts. */
serveWork((order: TextOrder) => packed(() => doTextWork(order)));

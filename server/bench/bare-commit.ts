import { bareCommit } from './floors.js';
import { DIMENSIONS } from './world.js';

/** The floor of a durable write as a program of its own, in the folder that it is given. */
console.log(JSON.stringify(await bareCommit(process.argv[2] ?? '.', DIMENSIONS)));

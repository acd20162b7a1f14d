import { bareCommit } from './floors.js';
import { DIMENSIONS } from './world.js';

/** Measures the floor of a durable write, as a program, in the folder of its argument. */
console.log(JSON.stringify(await bareCommit(process.argv[2] ?? '.', DIMENSIONS)));

#!/usr/bin/env node
import module from 'node:module';

// Node 22 and later keep compiled modules between runs.
module.enableCompileCache?.();
const { main } = await import('../dist/run.js');
const code = await main(process.argv.slice(2));
if (code !== undefined) process.exit(code);

#!/usr/bin/env node
import module from 'node:module';

// Node 22 and later keep compiled modules between runs.
module.enableCompileCache?.();
await import('../dist/run.js');

#!/usr/bin/env node
import { withOpenFiles } from '../dist/open-files.js';

await withOpenFiles(() => import('../dist/operator/setup-mongodb.js'));

#!/usr/bin/env node
import { withOpenFiles } from '../dist/start/open-files.js';

await withOpenFiles(() => import('../dist/operator/reencrypt.js'));

import type { Fault } from '../fault.js';
import { ingestFaults } from './ingest.js';

/** Check id → a fault that the check must notice. */
export const faults: Readonly<Record<string, Fault>> = { ...ingestFaults };

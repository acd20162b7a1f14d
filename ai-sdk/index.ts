export { type MemoryMiddlewareOptions, memoryMiddleware, type NewMemory } from './memory-middleware.js';
export {
  type FoundMemories,
  type FoundMemory,
  type MemoryTools,
  type MemoryToolsOptions,
  memoryTools,
} from './memory-tools.js';

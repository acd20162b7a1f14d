/**
 * The only module in which the server imports the generated types. It imports types only: no SDK code runs behind a
 * REST call.
 */
import type * as operations from '../../../sdk/generated/sdk.gen.js';

export type OperationId = keyof typeof operations;
export type * from '../../../sdk/generated/types.gen.js';

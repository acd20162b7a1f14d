/**
 * The one place where the server meets the generated types. Types only: none
 * of the SDK's code runs behind a REST call.
 */
import type * as operations from '../../../sdk/generated/sdk.gen.js';

export type OperationId = keyof typeof operations;
export type * from '../../../sdk/generated/types.gen.js';

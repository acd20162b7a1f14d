import type * as Wire from '../generated/types.gen.js';

/**
 * The members of a request as callers write them: an optional one may be undefined, also under
 * `exactOptionalPropertyTypes`, and a switch is a boolean.
 */
type Sent<Type> = Type extends readonly (infer Item)[]
  ? Sent<Item>[]
  : Type extends object
    ? { [Name in keyof Type]: SentMember<Type[Name]> | IfOptional<Type, Name> }
    : Type;

/** Undefined for an optional member, never for others and for the keys of a dictionary. */
type IfOptional<Type, Name extends keyof Type> = string extends Name
  ? never
  : Record<never, never> extends Pick<Type, Name>
    ? undefined
    : never;

type SentMember<Type> = [NonNullable<Type>, Wire.BooleanInput] extends [Wire.BooleanInput, Type] ? boolean : Sent<Type>;

export type Acceptance = Sent<Wire.Acceptance>;
export type BatchItem = Sent<Wire.BatchItem>;
export type DeleteMemoriesRequest = Sent<Wire.DeleteMemoriesRequest>;
export type Filter = Sent<Wire.Filter>;
export type FilterOperators = Sent<Wire.FilterOperators>;
export type ImportItem = Sent<Wire.ImportItem>;
export type InboundWebhookCreate = Sent<Wire.InboundWebhookCreate>;
export type InboundWebhookUpdate = Sent<Wire.InboundWebhookUpdate>;
export type IngestRequest = Sent<Wire.IngestRequest>;
export type OrganizationSettingsUpdate = Sent<Wire.OrganizationSettingsUpdate>;
export type OutboundWebhookCreate = Sent<Wire.OutboundWebhookCreate>;
export type OutboundWebhookUpdate = Sent<Wire.OutboundWebhookUpdate>;
export type PasswordChange = Sent<Wire.PasswordChange>;
export type SearchRequest = Sent<Wire.SearchRequest>;
export type TokenRequest = Sent<Wire.TokenRequest>;
export type UpdateRequest = Sent<Wire.UpdateRequest>;
export type UpsertRequest = Sent<Wire.UpsertRequest>;

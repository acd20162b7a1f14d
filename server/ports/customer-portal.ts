/** Opens the pages where customers of the payment provider manage their subscriptions. */
export interface CustomerPortal {
  /**
   * Returns the address of a new session for a customer.
   *
   * @param returnUrl address of the link that leads back; undefined for the one that is set at the provider
   * @throws {UnknownCustomerError} if the provider does not have the customer
   * @throws {PortalUnavailableError} if the provider does not respond, or rejects its key or settings
   */
  open(customerId: string, returnUrl: string | undefined): Promise<string>;
}

export class UnknownCustomerError extends Error {
  override name = 'UnknownCustomerError';
}

/** The message names the kind of the failure and never contains the key. */
export class PortalUnavailableError extends Error {
  override name = 'PortalUnavailableError';
}

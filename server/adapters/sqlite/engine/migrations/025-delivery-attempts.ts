/** Adds the attempts of each outbound delivery, as JSON. They are deleted with their delivery. */
export const deliveryAttempts = `
  ALTER TABLE outbound_deliveries ADD COLUMN attempt_log TEXT;
`;

/**
 * Returns a number with commas, and at most three decimals, such as "12,345". `Intl` would take longer to start than a
 * page may take to show its first rows.
 */
export function numberText(value: number): string {
  return String(Number(value.toFixed(3))).replace(/\B(?=(?:\d{3})+(?!\d))/g, ',');
}

/** Reads variables and collects their faults. An empty variable counts as absent. */
export class EnvReader {
  readonly faults: string[] = [];

  constructor(private readonly env: Readonly<Record<string, string | undefined>>) {}

  text(name: string): string | undefined {
    return this.env[name]?.trim() || undefined;
  }

  /** Returns the values between commas, or an empty list if the variable is absent. */
  list(name: string): string[] {
    const parts = (this.text(name) ?? '').split(',').map((part) => part.trim());
    return parts.filter((part) => part !== '');
  }

  oneOf<const Values extends readonly string[]>(
    name: string,
    values: Values,
    fallback: Values[number],
  ): Values[number] {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const found = values.find((value) => value === text);
    if (found === undefined) this.faults.push(`set ${name} to one of ${values.join(', ')}`);
    return found ?? fallback;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    return this.optionalNumber(name, min, max, true) ?? fallback;
  }

  optionalNumber(name: string, min: number, max: number, whole: boolean): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
    this.faults.push(`set ${name} to ${whole ? 'a whole number' : 'a number'} from ${min} to ${max}`);
    return undefined;
  }

  boolean(name: string, fallback: boolean): boolean {
    return this.oneOf(name, ['true', 'false'] as const, fallback ? 'true' : 'false') === 'true';
  }
}

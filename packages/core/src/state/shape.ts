/** What is wrong with a value: the path to it, such as `.commits.0.hash`, empty for itself; undefined where nothing is. */
export type Shape = (value: unknown) => string | undefined;

function where(holds: (value: unknown) => boolean): Shape {
  return (value) => (holds(value) ? undefined : '');
}

export const text = where((value) => typeof value === 'string');
export const number = where((value) => typeof value === 'number');
export const above0 = where((value) => typeof value === 'number' && value > 0);
export const truth = where((value) => typeof value === 'boolean');
/** Of a phase, an attempt, a process. */
export const id = where((value) => Number.isSafeInteger(value) && (value as number) >= 1);

export function oneOf(values: readonly string[]): Shape {
  return where((value) => typeof value === 'string' && values.includes(value));
}

export function optional(shape: Shape): Shape {
  return (value) => (value === undefined ? undefined : shape(value));
}

export function list(shape: Shape): Shape {
  return (value) => (Array.isArray(value) ? firstOf(value.map(shape)) : '');
}

/** It may have other fields: a later devflow may add some. */
export function object(fields: Readonly<Record<string, Shape>>): Shape {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
    const given = value as Readonly<Record<string, unknown>>;
    const wrong = Object.entries(fields).map(
      ([name, shape]) => [name, shape(given[name])] as const,
    );
    const [name, below] = wrong.find(([, path]) => path !== undefined) ?? [];
    return name === undefined ? undefined : `.${name}${below}`;
  };
}

function firstOf(paths: readonly (string | undefined)[]): string | undefined {
  const index = paths.findIndex((path) => path !== undefined);
  return index === -1 ? undefined : `.${index}${paths[index]}`;
}

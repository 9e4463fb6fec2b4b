/** Returns the input without fields that are undefined. */
export function given<T extends object>(
  input: T,
): { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>
} {
  // TypeScript cannot infer the effect of the filter.
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof given<T>
  >
}

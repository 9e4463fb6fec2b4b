/** The same fields without those that are undefined: what was not given is absent. */
export function given<T extends object>(
  input: T,
): { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>
} {
  // The cast says what the filter does; TypeScript cannot follow it.
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof given<T>
  >
}

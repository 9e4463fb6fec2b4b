/**
 * An object without entries, in what `toMatchObject` and `toEqual` are given: there, `{}` would match any object, and an
 * expectation that nothing was dropped could not fail.
 */
export const NONE: object = {
  asymmetricMatch: (value: unknown): boolean =>
    typeof value === 'object' && value !== null && Object.keys(value).length === 0,
  toString: () => 'an object without entries',
}

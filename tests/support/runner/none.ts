/**
 * Expects an object without entries, inside `toMatchObject` and `toEqual`. There, `{}` would match any object, so the
 * expectation could not fail.
 */
export const NONE: object = {
  asymmetricMatch: (value: unknown): boolean =>
    typeof value === 'object' && value !== null && Object.keys(value).length === 0,
  toString: () => 'an object without entries',
}

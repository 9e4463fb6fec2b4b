/**
 * Tokens below which the API does not cache a prompt, by the model's family and version (documentations of prompt
 * caching, 2026-11). Longer names come first.
 */
const MINIMUMS: readonly (readonly [RegExp, number])[] = [
  [/opus-4-[567]/, 4096],
  [/haiku-4-5/, 4096],
  [/haiku-3/, 2048],
  [/opus-5(?!-5)/, 512],
  [/opus|sonnet|gpt/, 1024],
]

/** Tokens that a prompt must have to be cached; null for a model whose minimum is not known. */
export const minimumTokens = (model: string): number | null => MINIMUMS.find(([name]) => name.test(model))?.[1] ?? null

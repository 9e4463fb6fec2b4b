interface Prompt {
  readonly content: string
  readonly asked?: number | undefined
}

/** Keeps the newest of prompts with the same text; the list is newest first. Prompts that were asked once are never compared. */
export function foldPrompts<P extends Prompt>(prompts: readonly P[]): P[] {
  const seen = new Set<string>()
  return prompts.filter(({ content, asked = 1 }) => {
    if (asked < 2) return true
    if (seen.has(content)) return false
    seen.add(content)
    return true
  })
}

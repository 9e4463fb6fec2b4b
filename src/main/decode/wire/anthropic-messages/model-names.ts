/** Returns today's spellings of an older model name: the words in their new order, and `-0` for a version of one number. */
export function modelSpellings(model: string): readonly string[] {
  const turned = model.replace(/^claude-(\d+(?:-\d+)?)-([a-z]+)$/, 'claude-$2-$1')
  return /^claude-[a-z]+-\d+$/.test(turned) ? [turned, `${turned}-0`] : [turned]
}

/** A version's section of CHANGELOG.md. */
export interface ReleaseNotes {
  /** The day it was released, as written; null if it has none yet. */
  readonly date: string | null
  readonly text: string
}

/** Lines that a section may have: it is for people. */
const MAX_LINES = 40

/** Returns the section `## VERSION (DATE)`. Throws if there is none, if it is empty, or if nobody would read it. */
export function releaseNotes(changelog: string, version: string): ReleaseNotes {
  const section = changelog
    .split(/^## /m)
    .slice(1)
    .find((text) => text.startsWith(`${version} (`))
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} (DATE)"`)
  const [heading = '', ...lines] = section.trim().split('\n')
  const text = lines.join('\n').trim()
  if (text === '') throw new Error(`CHANGELOG.md says nothing about ${version}`)
  const count = text.split('\n').length
  if (count > MAX_LINES)
    throw new Error(`the section ${version} of CHANGELOG.md has ${count} lines, at most ${MAX_LINES}`)
  return { date: /\((\d{4}-\d{2}-\d{2})\)$/.exec(heading)?.[1] ?? null, text }
}

import type { ChangedLine, Commit, Sessions } from './repository.ts'
import type { Turn, WrittenLines } from './turns.ts'

/** A commit's message as a query, in the format that `tests/bench/recall.ts` reads. */
export interface CommitQuestion {
  readonly id: string
  /** ISO 8601: the open half has the older commits. */
  readonly at: string
  /**
   * made: asks for the turns that wrote the commit; changed: for the turns that wrote what it replaced; quoted: a text
   * has the message word by word, so that the question asks in recorded words.
   */
  readonly kind: 'made' | 'changed' | 'quoted'
  readonly query: string
  /** IDs of all texts of the turns. */
  readonly expected: readonly string[]
}

const MIN_WORDS = 3
/** Lines of a commit that a turn must have written, as a share of those of the turn that wrote most. */
const SHARE = 1 / 3
/** A message that more turns answer says little about any of them. */
const MAX_TURNS = 5

/** Makes a question of each commit whose lines came from recorded turns. */
export function makeQuestions(
  commits: readonly Commit[],
  { ofCheckpoint }: Pick<Sessions, 'ofCheckpoint'>,
  { documents, writersOf }: WrittenLines,
): CommitQuestion[] {
  const texts = documents.map(({ text }) => plain(text)).join('\n')
  const known = new Set<string>()
  return commits.flatMap((commit): CommitQuestion[] => {
    const query = queryOf(commit.subject)
    const key = plain(query)
    if (query.split(' ').length < MIN_WORDS || known.has(key)) return []
    known.add(key)
    const own = new Set(commit.checkpoints.flatMap((name) => [...(ofCheckpoint.get(name) ?? [])]))
    const made = turnsOf(commit.added, (line) => writersOf(line).filter(({ session }) => own.has(session)))
    const turns =
      made.length > 0
        ? made
        : turnsOf(commit.removed, (line) =>
            writersOf(line)
              .filter(({ at }) => Date.parse(at) < Date.parse(commit.at))
              .slice(-1),
          )
    const expected = [...new Set(turns.flatMap((turn) => turn.texts))]
    if (expected.length === 0 || turns.length > MAX_TURNS) return []
    const kind = texts.includes(key) ? 'quoted' : made.length > 0 ? 'made' : 'changed'
    return [{ id: commit.id, at: commit.at, kind, query, expected }]
  })
}

/** Returns the turns that wrote most of the lines. */
function turnsOf(lines: readonly ChangedLine[], writersOf: (line: ChangedLine) => readonly Turn[]): Turn[] {
  const counts = new Map<Turn, number>()
  for (const turn of lines.flatMap((line) => [...new Set(writersOf(line))]))
    counts.set(turn, (counts.get(turn) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return [...counts].filter(([, count]) => count >= SHARE * most).map(([turn]) => turn)
}

/** Removes what a person would not ask: the type of the change, and the number of the pull request. */
const queryOf = (subject: string): string =>
  subject
    .replace(/^\w+(?:\([^)]*\))?!?:\s+/, '')
    .replace(/\s*\(#\d+\)$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')

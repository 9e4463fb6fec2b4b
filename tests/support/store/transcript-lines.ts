/** The fields of a transcript line that tests use. */
export interface TranscriptLine {
  readonly type: string
  readonly message?: object
  readonly [field: string]: unknown
}

let uuids = 0
const uuid = () => `00000000-0000-7000-8000-${String(++uuids).padStart(12, '0')}`

/** Creates lines as the client writes them, each the parent of the next, one second apart. */
export function transcriptLines(
  session: string,
  parts: readonly TranscriptLine[],
  { at = Date.UTC(2026, 10, 20, 10), parent = null }: { readonly at?: number; readonly parent?: string | null } = {},
): string[] {
  let before = parent
  return parts.map((part, index) => {
    const own = uuid()
    const line = {
      parentUuid: before,
      isSidechain: false,
      userType: 'external',
      cwd: '/home/me/project',
      sessionId: session,
      version: '2.1.330',
      gitBranch: 'main',
      uuid: own,
      timestamp: new Date(at + index * 1000).toISOString(),
      ...part,
    }
    before = own
    return `${JSON.stringify(line)}\n`
  })
}

export const said = (text: string): TranscriptLine => ({ type: 'user', message: { role: 'user', content: text } })

/** One message of the model, one line per block, as written by clients that do not number blocks. */
export const answered = (id: string, ...content: object[]): TranscriptLine[] =>
  content.map((block, index) => ({
    type: 'assistant',
    requestId: `req_${id}`,
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [block],
      stop_reason: index === content.length - 1 ? 'end_turn' : null,
      usage: { input_tokens: 10, output_tokens: 5 + index },
    },
  }))

/** Creates a session of the given number of turns: prompt, thinking, answer. */
export const transcriptOf = (session: string, turns: number): string[] =>
  transcriptLines(
    session,
    Array.from({ length: turns }, (_, turn) => [
      said(`${session} asks ${turn}`),
      ...answered(
        `msg_${session}_${turn}`,
        { type: 'thinking', thinking: `${session} thinks ${turn}`, signature: 's' },
        { type: 'text', text: `${session} answers ${turn}` },
      ),
    ]).flat(),
  )

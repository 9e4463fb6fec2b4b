import { closeSync, mkdirSync, openSync, utimesSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, type Random } from '../../../src/main/base/fixtures/random.ts'
import { ADJECTIVES, NOUNS, SYMPTOMS, VERBS } from '../demo/vocabulary.ts'

export interface GeneratedTranscripts {
  readonly files: number
  readonly lines: number
  readonly bytes: number
  readonly calls: number
}

export interface TranscriptShape {
  readonly seed: string
  readonly bytes: number
  readonly bytesPerFile: number
  /** Every nth tool result has 7 MB. */
  readonly hugeEvery?: number
}

const MODELS = ['claude-opus-4-8', 'claude-sonnet-4-5', 'claude-haiku-4-5'] as const

/**
 * Writes transcripts as the client does (one line per block, usage repeated on each), `bytes` in total. Line sizes are
 * log-normal with a median of 700 B and a 99th percentile of 46 KB; the long ones are tool results.
 */
export function writeTranscripts(folder: string, shape: TranscriptShape): GeneratedTranscripts {
  const { seed, hugeEvery = 15_000 } = shape
  const random = createRandom(seed)
  const total = { files: 0, lines: 0, bytes: 0, calls: 0 }
  const prose = createProse(random)
  let huge = hugeEvery / 2
  while (total.bytes < shape.bytes) {
    const project = join(folder, `-home-dev-project-${total.files % 12}`)
    mkdirSync(project, { recursive: true })
    const session = random.uuid()
    const path = join(project, `${session}.jsonl`)
    const file = openSync(path, 'w')
    let at = Date.UTC(2026, 9, 22) + total.files * 3_600_000
    let parent: string | null = null
    let written = 0
    let buffer: string[] = []
    const put = (line: { readonly [field: string]: unknown }) => {
      const uuid = random.uuid()
      at += random.int(200, 4000)
      const text = JSON.stringify({
        parentUuid: parent,
        isSidechain: false,
        userType: 'external',
        cwd: `/home/dev/project-${total.files % 12}`,
        sessionId: session,
        version: '2.1.330',
        gitBranch: 'main',
        ...line,
        uuid,
        timestamp: new Date(at).toISOString(),
      })
      parent = uuid
      buffer.push(text)
      const bytes = Buffer.byteLength(text) + 1
      written += bytes
      total.bytes += bytes
      total.lines += 1
      if (buffer.length < 500) return
      writeSync(file, `${buffer.join('\n')}\n`)
      buffer = []
    }
    while (written < shape.bytesPerFile) {
      put({ type: 'user', promptId: random.uuid(), message: { role: 'user', content: prose(sizeOf(random, 300)) } })
      for (let call = random.int(1, 12); call > 0; call -= 1) {
        const id = `msg_${random.hex(24)}`
        const toolUse = `toolu_${random.hex(24)}`
        const usage = {
          input_tokens: random.int(1, 4000),
          output_tokens: random.int(20, 3000),
          cache_read_input_tokens: random.int(0, 90_000),
          cache_creation_input_tokens: random.int(0, 5000),
        }
        total.calls += 1
        const model = MODELS[total.files % MODELS.length] ?? MODELS[0]
        const assistant = (index: number, block: object, stop: string | null) =>
          put({
            type: 'assistant',
            requestId: `req_${id}`,
            apiBlockIndex: index,
            message: { id, type: 'message', role: 'assistant', model, content: [block], stop_reason: stop, usage },
          })
        assistant(0, { type: 'thinking', thinking: prose(sizeOf(random, 500)), signature: random.hex(200) }, null)
        if (call === 1) {
          assistant(1, { type: 'text', text: prose(sizeOf(random, 600)) }, 'end_turn')
          continue
        }
        const input = { command: `grep -rn "${prose(30)}" src/`, description: prose(60) }
        assistant(1, { type: 'tool_use', id: toolUse, name: 'Bash', input }, 'tool_use')
        huge += 1
        const size = huge % hugeEvery === 0 ? 7_000_000 : sizeOf(random, 1500)
        const content = prose(size)
        put({
          type: 'user',
          message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: toolUse, content }] },
          toolUseResult: { stdout: content.slice(0, 200), stderr: '', interrupted: false },
        })
      }
      put({ type: 'queue-operation', operation: 'enqueue' })
    }
    writeSync(file, `${buffer.join('\n')}\n`)
    closeSync(file)
    utimesSync(path, at / 1000, at / 1000)
    total.files += 1
  }
  return total
}

/** Log-normal: half of the lines are shorter than the median, one in a hundred is 66 times as long. */
function sizeOf(random: Random, median: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  return Math.min(2_000_000, Math.max(20, Math.round(median * Math.exp(1.8 * normal))))
}

/** Generates texts of about the given length from made-up sentences, paths and identifiers. */
function createProse(random: Random): (characters: number) => string {
  const sentences: string[] = []
  for (let count = 0; count < 4000; count += 1) {
    const [noun, other] = [random.pick(NOUNS), random.pick(NOUNS)]
    const forms = [
      `${random.pick(VERBS)} the ${random.pick(ADJECTIVES)} ${noun} before the ${other} ${random.pick(SYMPTOMS)}.`,
      `src/${noun}/${other}-${random.pick(VERBS)}.ts:${random.int(1, 900)}: const ${noun}${random.int(1, 99)} = ${random.pick(VERBS)}(${other}, ${random.hex(8)})`,
      `  at ${random.pick(VERBS)}${noun} (/home/dev/${other}/index.js:${random.int(1, 400)}:${random.int(1, 80)})`,
    ]
    sentences.push(random.pick(forms))
  }
  const book = sentences.join('\n')
  return (characters) => {
    if (characters >= book.length) return book.repeat(Math.ceil(characters / book.length)).slice(0, characters)
    const from = random.int(0, book.length - characters - 1)
    return book.slice(from, from + characters)
  }
}

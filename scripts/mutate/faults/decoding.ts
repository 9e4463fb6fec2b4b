import type { KnownFault } from '../known-fault.ts'

const MESSAGES = 'src/main/decode/wire/anthropic-messages'
const RESPONSE = [`${MESSAGES}/response.test.ts`, 'src/main/decode/wire/answer-blocks.test.ts']

/** Faults in what is read of requests, answers and hooks. */
export const DECODING_FAULTS: readonly KnownFault[] = [
  {
    name: 'thinking-after-the-first-lost',
    file: `${MESSAGES}/response-drafts.ts`,
    from: '...message.blocks.flatMap((block) => draftsOfBlock(',
    to: "...message.blocks.filter(({ block }, at) => block['type'] !== 'thinking' || at === 0).flatMap((block) => draftsOfBlock(",
    tests: RESPONSE,
  },
  {
    name: 'thinking-after-the-first-not-stored',
    file: 'src/main/store/projections/thinking-blocks.ts',
    from: "if (kind !== 'thinking' || payload.text === '') return",
    to: "if (kind !== 'thinking' || payload.text === '' || (payload.index ?? 0) > 0) return",
    tests: ['tests/integration/recorder/thinking.test.ts'],
  },
  {
    name: 'blocks-in-order-of-arrival',
    file: `${MESSAGES}/message-assembly.ts`,
    from: '.sort(([left], [right]) => left - right)',
    to: '',
    tests: RESPONSE,
  },
  {
    name: 'blocks-sorted-as-text',
    file: `${MESSAGES}/message-assembly.ts`,
    from: '.sort(([left], [right]) => left - right)',
    to: '.sort(([left], [right]) => (String(left) < String(right) ? -1 : 1))',
    tests: RESPONSE,
  },
  {
    name: 'null-usage-erases-figures',
    file: 'src/main/decode/usage.ts',
    from: 'if (value === null) continue',
    to: '',
    tests: RESPONSE,
  },
  {
    name: 'null-stop-reason-erases-it',
    file: `${MESSAGES}/message-assembly.ts`,
    from: "...withoutNulls(objectOf(data['delta']))",
    to: "...objectOf(data['delta'])",
    tests: RESPONSE,
  },
  {
    name: 'usage-of-the-start-is-final',
    file: `${MESSAGES}/message-assembly.ts`,
    from: '#usageFinal = false',
    to: '#usageFinal = true',
    tests: [`${MESSAGES}/response.test.ts`, `${MESSAGES}/response-failures.test.ts`],
  },
  {
    name: 'cut-stream-called-whole',
    file: `${MESSAGES}/response.ts`,
    from: "return streamed && status !== null && status < 300 ? 'upstream' : null",
    to: 'return null',
    tests: [`${MESSAGES}/response-failures.test.ts`],
  },
  {
    name: 'stream-unbounded',
    file: `${MESSAGES}/response.ts`,
    from: 'if (bodyBytes > MAX_STREAM_BYTES) {',
    to: 'if (bodyBytes > Infinity) {',
    tests: [`${MESSAGES}/bounds.test.ts`],
  },
  {
    name: 'body-unbounded',
    file: `${MESSAGES}/response.ts`,
    from: 'if (bodyBytes <= MAX_JSON_BYTES) pieces.push',
    to: 'if (bodyBytes <= Infinity) pieces.push',
    tests: [`${MESSAGES}/bounds.test.ts`],
  },
  {
    name: 'citations-lost',
    file: `${MESSAGES}/message-assembly.ts`,
    from: "if (delta['citation'] !== undefined) block.citations.push(delta['citation'])",
    to: '',
    tests: RESPONSE,
  },
  {
    name: 'cut-tool-input-lost',
    file: `${MESSAGES}/open-block.ts`,
    from: 'parseJson(block.json) ?? block.json',
    to: 'parseJson(block.json) ?? {}',
    tests: [`${MESSAGES}/response.test.ts`, `${MESSAGES}/response-failures.test.ts`],
  },
]

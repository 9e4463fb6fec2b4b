import type { KnownFault } from '../known-fault.ts'

const REDACTION = 'src/main/redaction'
const DOORS = ['tests/integration/app/redaction-at-doors.test.ts']

const REDACTOR = [`${REDACTION}/redactor.test.ts`]

/** Faults that would let a secret through. */
export const SECRET_FAULTS: readonly KnownFault[] = [
  {
    name: 'import-not-redacted',
    file: 'src/main/recorder/thread/upkeep/import-export.ts',
    from: 'const redacted = redact(value)',
    to: 'const redacted = value',
    tests: DOORS,
  },
  {
    name: 'project-not-redacted',
    file: `${REDACTION}/create-redactor.ts`,
    from: '...(project ? { project: text(project) } : {}),',
    to: '',
    tests: DOORS,
  },
  {
    name: 'hooks-not-redacted',
    file: 'src/main/recorder/thread/capture/hook-intake.ts',
    from: 'pipeline.redact(draft.keys.length > 0 ? draft : { ...draft, keys: [`hook:${id}:${index}`] }),',
    to: 'draft.keys.length > 0 || pipeline === null ? draft : { ...draft, keys: [`hook:${id}:${index}`] },',
    tests: DOORS,
  },
  {
    name: 'errors-not-redacted',
    file: `${REDACTION}/create-redactor.ts`,
    from: '...(errorMessage ? { error_message: text(errorMessage) } : {}),',
    to: '',
    tests: DOORS,
  },
  {
    name: 'sightings-not-redacted',
    file: `${REDACTION}/create-redactor.ts`,
    from: '{ sighting: redactSighting(sighting, { before: draft.payload, after: payload }, sightingWalk(draft)) }',
    to: '{ sighting }',
    tests: REDACTOR,
  },
  {
    name: 'accounts-not-hashed',
    file: `${REDACTION}/create-redactor.ts`,
    from: '...(account ? { account: hashAccount(account) } : {}),',
    to: '',
    tests: REDACTOR,
  },
  {
    name: 'request-headers-stored',
    file: 'src/main/pipeline/pipeline.ts',
    from: 'headers: redactor.headers(headers)',
    to: 'headers',
    tests: ['src/main/pipeline/pipeline.test.ts'],
  },
  {
    name: 'own-processor-puts-secrets-back',
    file: 'src/main/pipeline/pipeline.ts',
    from: "return result === 'drop' || result === event ? result : redacted(result, redactor)",
    to: 'return result',
    tests: ['src/main/pipeline/pipeline.test.ts'],
  },
  {
    name: 'secret-across-two-blocks-shown',
    file: `${REDACTION}/text-redactor.ts`,
    from: "const spans = merged([...own, ...scanInTime(scanner, texts.join(''), { time })])",
    to: 'const spans = merged([...own])',
    tests: [`${REDACTION}/redactor-laws.test.ts`],
  },
  {
    name: 'secret-across-two-pieces-shown',
    file: `${REDACTION}/text-redactor.ts`,
    from: 'const end = final ? buffer.length : decided',
    to: 'const end = final || decided > 0 ? buffer.length : decided',
    tests: [`${REDACTION}/redactor-laws.test.ts`],
  },
  {
    name: 'keys-of-json-not-redacted',
    file: `${REDACTION}/json-walk.ts`,
    from: 'const newName = edits.name(name)',
    to: 'const newName = name',
    tests: REDACTOR,
  },
  {
    name: 'named-secrets-shown',
    file: `${REDACTION}/json-walk.ts`,
    from: 'return !STRUCTURE.has(field) && isSecretField(field, value)',
    to: 'return false',
    tests: [`${REDACTION}/json-walk.test.ts`],
  },
  {
    name: 'secrets-of-named-pairs-shown',
    file: `${REDACTION}/json-walk.ts`,
    from: "if (field === 'value' || field === 'Value') {",
    to: "if (!STRUCTURE.has(field) && (field === 'value' || field === 'Value')) {",
    tests: [`${REDACTION}/json-walk.test.ts`],
  },
  {
    name: 'env-file-shown',
    file: `${REDACTION}/json-walk.ts`,
    from: 'if (!showsEnvFile(input)) return',
    to: 'if (!showsEnvFile(input) || callId.length > 0) return',
    tests: REDACTOR,
  },
  {
    name: 'live-text-not-redacted',
    file: 'src/main/recorder/live-text.ts',
    from: 'block.text += block.redactor.push(raw)',
    to: 'block.text += raw',
    tests: ['src/main/recorder/live-batcher.test.ts'],
  },
]

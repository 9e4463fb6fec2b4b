import { describe, expect, test } from 'vitest'
import { make } from './fixtures/redactor-under-test.ts'

const SECRET = 'hunter2-Orchid!77'
const mark = expect.stringMatching(/^\[redacted:[a-z-]+:[0-9a-f]{4}\]$/)

describe('a value of JSON is a secret by', () => {
  test('the name of its field, at any depth', () => {
    const { json } = make()
    expect(json({ password: SECRET, db: [{ client_secret: SECRET, host: 'db.example' }] })).toEqual({
      password: mark,
      db: [{ client_secret: mark, host: 'db.example' }],
    })
  })

  test('the name beside it', () => {
    const { json } = make()
    for (const [name, value] of [
      ['name', 'value'],
      ['Name', 'Value'],
      ['key', 'value'],
      ['Key', 'Value'],
    ] as const)
      expect(json({ [name]: 'DB_PASSWORD', [value]: SECRET })).toEqual({ [name]: 'DB_PASSWORD', [value]: mark })
    expect(json({ name: 'COLOUR', value: SECRET })).toEqual({ name: 'COLOUR', value: SECRET })
    expect(json({ name: 'DB_PASSWORD', other: SECRET })).toEqual({ name: 'DB_PASSWORD', other: SECRET })
  })

  test('the text before it in a list', () => {
    const { json } = make()
    expect(json(['run', '--password', SECRET, '--verbose', SECRET])).toEqual([
      'run',
      '--password',
      mark,
      '--verbose',
      SECRET,
    ])
    expect(json(['password', SECRET])).toEqual(['password', mark])
    expect(json(['password', SECRET, 'more'])).toEqual(['password', SECRET, 'more'])
  })

  test('being a number under such a name', () => {
    expect(make().json({ password: 48_291_553, tokens: 48_291_553 })).toEqual({ password: mark, tokens: 48_291_553 })
  })
})

test('what a call of a .env file gave is its content, in each field that holds an output', () => {
  for (const field of ['content', 'output', 'detail', 'tool_response']) {
    const { json } = make()
    json({ id: 'toolu_1', input: { file_path: '.env' } })
    json({ id: 'toolu_2', input: { file_path: '.env.local' } })
    for (const call of ['toolu_1', 'toolu_2']) {
      const result = json({ tool_use_id: call, [field]: 'COLOUR=green', note: 'COLOUR=green' })
      expect(result).toEqual({
        tool_use_id: call,
        [field]: expect.stringMatching(/^COLOUR=\[redacted:/),
        note: 'COLOUR=green',
      })
    }
  }
})

test('a text that the decoders look for is redacted as the event that has it', () => {
  const text = 'the key is ghp_0123456789abcdefghijABCDEFGHIJ012345'
  const draft = { kind: 'user_prompt', payload: { text }, error_message: text, text_identity: { text, within_ms: 1 } }
  const redacted = make().draft(draft as never) as unknown as typeof draft
  expect(redacted.payload.text).toMatch(/^the key is \[redacted:/)
  expect(redacted).toMatchObject({
    error_message: redacted.payload.text,
    text_identity: { text: redacted.payload.text, within_ms: 1 },
  })
})

test('a field of ids with anything but an id is text', () => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
  const own = {
    text: (text: string) => text.replaceAll('Zeppelin', 'X'),
    joined: (texts: readonly string[]) => [...texts],
    timeouts: () => ({}),
  }
  const { json } = make({ ownPatterns: own })
  expect(json({ call_id: secret })).toEqual({ call_id: mark })
  expect(json({ call_id: 'Zeppelin', base: 'Zeppelin' })).toEqual({ call_id: 'X', base: 'X' })
  expect(json({ call_id: 'toolu_Zeppelin' })).toEqual({ call_id: 'toolu_Zeppelin' })
})

test('without a secret, the value itself comes back', () => {
  const value = { a: [{ type: 'text', text: 'one' }, { type: 'text', text: 'two' }, null, 3], password: true }
  expect(make().json(value)).toBe(value)
})

test('what surrounds a secret stays: order of fields and items, empty values, a field called __proto__', () => {
  const value = JSON.parse(
    `{"z":1,"password":"${SECRET}","a":[],"__proto__":{"b":null},"list":["x","Bearer"]}`,
  ) as object
  const clean = make().json(value)
  expect(Object.keys(clean)).toEqual(['z', 'password', 'a', '__proto__', 'list'])
  expect(JSON.stringify(clean).replace(/\[redacted[^\]]*\]/, SECRET)).toBe(JSON.stringify(value))
})

test('the id of a call links it to the result that shows a .env file, in whatever order the fields come', () => {
  const { json } = make()
  json({ type: 'tool_use', id: 'toolu_1', input: { command: 'cat .env' } })
  const shown = json({ type: 'tool_result', tool_use_id: 'toolu_1', content: 'PLAIN=value\nOTHER=thing' }) as {
    content: string
  }
  expect(shown.content).toMatch(/^PLAIN=\[redacted:env-value:[0-9a-f]{4}\]\nOTHER=\[redacted:env-value:[0-9a-f]{4}\]$/)
  const other = { type: 'tool_result', tool_use_id: 'toolu_2', content: 'PLAIN=value' }
  expect(json(other)).toBe(other)
})

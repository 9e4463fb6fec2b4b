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

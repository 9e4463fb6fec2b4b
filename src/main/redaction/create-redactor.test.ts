import { expect, test } from 'vitest'
import { make, MARK } from './fixtures/redactor-under-test.ts'

const KEY = `sk-ant-api03-${'Ab1'.repeat(31)}AA`

test('a part of a secret is known once the whole was seen, even if it passed as clean before', () => {
  const redactor = make()
  const [begin, end] = [KEY.slice(0, 60), KEY.slice(60)]
  // Long enough to be remembered as clean.
  const alone = `${end} ${'and other words '.repeat(50)}`
  expect(redactor.text(alone)).toBe(alone)
  expect(redactor.joined([`the key is ${begin}`, `${end} and more`]).join('')).not.toContain(end)
  expect(redactor.text(alone)).toMatch(MARK)
  expect(redactor.text(alone)).not.toContain(end)
})

test("a person's own patterns see neighbouring texts as one", () => {
  const ownPatterns = {
    text: (text: string) => text,
    joined: (texts: readonly string[]) => texts.map((text) => text.toUpperCase()),
    timeouts: () => ({}),
  }
  expect(make({ ownPatterns }).joined(['Zep', 'pelin'])).toEqual(['ZEP', 'PELIN'])
  expect(make({ ownPatterns, enabled: false }).joined(['Zep', 'pelin'])).toEqual(['Zep', 'pelin'])
})

test('a secret is found however often its signs were encoded for an address', () => {
  for (const dash of ['-', '%2D', '%252D', '%25252D']) {
    const redacted = make().text(`https://example.com/?next=${KEY.replaceAll('-', dash)}`)
    expect(redacted, dash).toMatch(MARK)
    expect(redacted, dash).not.toContain('Ab1Ab1')
  }
})

test.each(['-u', '--user', '--proxy-user'])('curl %s shows its user and not its password', (option) => {
  for (const separator of [' ', ...(option.startsWith('--') ? ['='] : [])]) {
    const redacted = make().text(`curl ${option}${separator}ann:Orchid-77-lamp https://example.com`)
    expect(redacted).toMatch(/ann:\[redacted:/)
    expect(redacted).not.toContain('Orchid')
  }
})

test('the result of a command that prints a secret is hidden, and what is around it stays', () => {
  const result = (command: string, content = 'Kestrel-plow-92\n') => {
    const redactor = make()
    redactor.json({ id: 'toolu_1', input: { command } })
    return redactor.json({ tool_use_id: 'toolu_1', content }).content
  }
  expect(result('heroku auth:token', ' › Warning: it ends today\n\u001b[33mKestrel-plow-92\u001b[39m')).toMatch(
    // oxlint-disable-next-line no-control-regex
    /^ › Warning: it ends today\n\u001b\[33m\[redacted:secret-value:[0-9a-f]{4}\]\u001b\[39m$/,
  )
  expect(result('python -c "import secrets; print(secrets.token_hex())"; echo')).toMatch(/^\[redacted:/)
  expect(result("kubectl -n a get secret b -o jsonpath='{.data.c}' | base64 -d")).toMatch(/^\[redacted:/)
  expect(result("kubectl get secret b -o jsonpath='{.metadata.uid}'")).toBe('Kestrel-plow-92\n')
  expect(result('cd door && op read op://door/key')).toMatch(/^\[redacted:secret-value:[0-9a-f]{4}\]\n$/)
  expect(result('op read op://door/key > file')).toBe('Kestrel-plow-92\n')
  expect(result('ls')).toBe('Kestrel-plow-92\n')
})

test('a tag that is never closed hides the rest of its own text alone', () => {
  const [first, second] = make().joined(['see <private>the diary', 'the next block'])
  expect(first).toMatch(/^see \[redacted:private-unclosed:[0-9a-f]{4}\]$/)
  expect(second).toBe('the next block')
})

test.each(['', '%3D', '%FF', '%C0%80AA', '%', '%zz'])(
  'a field in base64 is removed whatever escape follows: "%s"',
  (rest) => {
    const field = Buffer.from('password=Hunter2Hunter2aa1').toString('base64').replace(/=+$/, '')
    expect(make().text(`see ${field}${rest} there`)).toMatch(/^see \[redacted:base64-secret:[0-9a-f]{4}\]\S* there$/)
  },
)

const script =
  '$ mysqldump --user=root --password=violin-thunder-90 app > dump.sql\n' +
  'echo every night, after the files\n'.repeat(12)
test.each([
  ['in one line', btoa(script)],
  ['in lines', btoa(script).replaceAll(/.{76}/g, '$&\n')],
  ['in lines of a string', `{"content": "${btoa(script).replaceAll(/.{76}/g, String.raw`$&\n`)}"}`],
])('a script in base64 loses its secret and nothing else: %s', (_, text) => {
  const [before = '', after = ''] = make()
    .text(text)
    .split(/\[redacted:base64-secret:[0-9a-f]{4}\]/)
  expect(text.startsWith(before) && text.endsWith(after)).toBe(true)
  expect(text.length - before.length - after.length).toBeLessThan(30)
  expect(atob(text.slice(before.length, -after.length || undefined).replace(/\s|\\n/g, ''))).toContain(
    'violin-thunder-90',
  )
})

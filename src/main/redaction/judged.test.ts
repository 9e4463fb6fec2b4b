import { expect, test } from 'vitest'
import { make, MARK } from './fixtures/redactor-under-test.ts'

/** What an independent judge said of alterations in public transcripts, by kind and both ways. */
const redactor = make()
const hidden = (text: string) => redactor.text(text).replaceAll(new RegExp(MARK, 'g'), '«»')

test.each([
  'sk-test',
  'g-test',
  'ghp_test',
  'test-token',
  'unit-test-secret-123',
  'e2e-test-password',
  'mySampleApiKey',
  'fake_key_for_tests',
  'base64-encoded-32-byte-account-secret',
  '32-byte-hex-string',
  'a 256-bit key',
  'abcSECRETxyz',
  'token-foobar',
  'AAABBBCCC',
  'SEC123',
])('%s says of itself that it is a test, or describes a value', (value) => {
  for (const text of [`SECRET_KEY="${value}"`, `{"apiKey": "${value}"}`, `password: '${value}'`])
    expect(redactor.text(text)).toBe(text)
})

test.each([
  'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
  'sk-test-8fK2mQ9xLp4vN7',
  'test-8fK2mQ9xLp',
  'test_Kq8mZ4vN',
  'testPa55word9x',
  'latest-door7',
  'contest-winner',
  'review-secret',
  'AAABBBCCC7',
  'abcxyz7K2',
  'encoded-Kq8mZ4vN-key',
  'SEC12345',
])('%s has more than that, so it is removed', (value) => {
  expect(hidden(`SECRET_KEY="${value}"`)).toBe('SECRET_KEY="«»"')
  expect(hidden(`{"apiKey": "${value}", "a": 1}`)).toBe('{"apiKey": "«»", "a": 1}')
})

test.each([
  ['the passphrase: `PURPLE-DOOR-42`.\nYes, `PURPLE-DOOR-42` it is', 'the passphrase: `«»`.\nYes, `«»` it is'],
  ['echo Kq8mZ4vN!\nDB_PASSWORD=Kq8mZ4vN!', 'echo «»\nDB_PASSWORD=«»'],
  ['PASSWORD="a1b2%c3d4" and a1b2%c3d4\\na1b2%c3d4', 'PASSWORD="«»" and «»\\n«»'],
  ['curl -u ada:Open7sesame x; print("Open7sesame")', 'curl -u ada:«» x; print("«»")'],
  ['PASSWORD=door7\nthe door7 of the house', 'PASSWORD=«»\nthe door7 of the house'],
  ['PASSWORD=spotter\ndatabase spotter', 'PASSWORD=«»\ndatabase spotter'],
  ['PASSWORD=Kq8mZ4vN\nKq8mZ4vNx and xKq8mZ4vN', 'PASSWORD=«»\nKq8mZ4vNx and xKq8mZ4vN'],
])('a secret goes wherever its text repeats it: %j', (text, expected) => {
  expect(hidden(text)).toBe(expected)
})

test('a secret that stands again goes from neighbouring texts, too', () => {
  const out = redactor.joined(['PASSWORD=Kq8mZ4vN9x\n', 'then Kq8mZ4vN9x again'])
  expect(out.join('').replaceAll(new RegExp(MARK, 'g'), '«»')).toBe('PASSWORD=«»\nthen «» again')
})

/** A key as a file has it, row by row; its last row is short. */
const ROWS = [
  '-----BEGIN RSA PRIVATE KEY-----',
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
  '+zEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu',
  'kQ==',
  '-----END RSA PRIVATE KEY-----',
]

test.each<[string, (row: string, at: number) => string]>([
  ['joined strings', (row, at) => `\t"${row}\\n"${at === 4 ? '' : ' +'}\n`],
  ['joined strings of a numbered diff', (row, at) => `56${at}\t+\t"${row}\\n" +\n`],
  ['joined strings within JSON', (row) => String.raw`\t\"${row}\\n\" +\n`],
  ['adjacent strings', (row) => `    "${row}\\n"\n`],
  ['a list of strings', (row) => `  '${row}',\n`],
  ['added lines', (row) => `+${row}\n`],
  ['removed lines', (row) => `-${row}\n`],
  ['numbered lines', (row, at) => `    ${at + 9}→${row}\n`],
  ['quoted lines', (row) => `> ${row}\n`],
  ['comments', (row) => `# ${row}\n`],
])('a private key in %s leaves all around its rows', (_, line) => {
  const around = (row: (own: string, at: number) => string) =>
    `before\n${ROWS.map((own, at) => line(row(own, at), at)).join('')}after`
  expect(hidden(around((own) => own))).toBe(around(() => '«»'))
})

test.each(['\n', '\r\n', '\n  ', String.raw`\n`])('a private key whose rows only end with %j is one secret', (end) => {
  expect(hidden(`key: ${ROWS.join(end)}\nafter`)).toBe('key: «»\nafter')
})

import { expect, test } from 'vitest'
import { createMarkFinder } from './marks.ts'

test('an identifier counts for each word of the query that it has', () => {
  const found = createMarkFinder(['checkpoint', 'ids', 'turn', 'branch']).find(
    'wipes TurnCheckpointIDs, not the branchName',
  )
  expect(found.map(({ start, word }) => `${start} ${word}`)).toEqual(['6 turn', '6 checkpoint', '6 ids', '33 branch'])
})

test.each([
  ['probable', 'by all probability', ['probability']],
  ['happy', 'happiness, HAPPY; unhappy', ['happiness', 'HAPPY']],
  ['writing', 'writes—writing…rewrite', ['writes', 'writing']],
  ['etude', 'Étude no. 3, e\u0301tude', ['Étude', 'e\u0301tude']],
  ['cafe', 'the cafés, a café_au_lait', ['cafés', 'café']],
  ['привет', 'Привет, мир', ['Привет']],
  ['404', 'a 404 page, http404 or 4040', ['404', 'http404']],
  ['fa', '2fa is on; fabric', ['2fa']],
  ['919e39f', 'in 919e39fd2c1b0a99 and 919e39f; 919e39, 919e39fx', ['919e39fd2c1b0a99', '919e39f']],
  ['id', 'sessionID, user_id; idle, did', ['sessionID', 'id']],
  ['go', 'going, went, gone', ['going', 'went']],
])('the word %s is found in: %s', (word, text, expected) => {
  const found = createMarkFinder([word], [], new Map([['went', 'go']])).find(text)
  expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(expected)
})

test('a word that is still being typed is found by its beginning', () => {
  const found = createMarkFinder(['checkpointi'], ['checkpointi']).find('checkpointing, Checkpointings; checkpoint')
  expect(found.map(({ start }) => start)).toEqual([0, 15])
})

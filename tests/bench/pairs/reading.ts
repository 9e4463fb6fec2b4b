import { createRandom } from '../../../src/main/base/fixtures/random.ts'
import { ADJECTIVES, NOUNS, VERBS } from '../../support/demo/vocabulary.ts'
import type { AppUnderTest } from './app-under-test.ts'
import { type Figures, spreadOf } from './figures.ts'

const TIMES = 40

/** Measures reading over HTTP: searches for three new words, the summary, the list of sessions. */
export async function measureReading(app: AppUnderTest): Promise<Figures> {
  const random = createRandom('pairs')
  const word = (of: readonly string[]) => of[Math.floor(random.next() * of.length)] ?? ''
  const timesOf = async (call: () => Promise<unknown>) => {
    const times: number[] = []
    for (let n = 0; n < TIMES; n += 1) {
      const begun = performance.now()
      await call()
      times.push(performance.now() - begun)
    }
    return times
  }
  const search = () =>
    app.call('recall.search', { query: `${word(ADJECTIVES)} ${word(NOUNS)} ${word(VERBS)}`, limit: 20 })
  return {
    ...spreadOf('search', await timesOf(search)),
    ...spreadOf('summary', await timesOf(() => app.call('stats.summary'))),
    ...spreadOf('session_list', await timesOf(() => app.call('sessions.list', { limit: 50 }))),
  }
}

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { askKeeper } from '../../src/main/keeper/control.ts'
import { aspy } from '../support/app/aspy-command.ts'
import { findClaude } from '../support/client/claude-client.ts'
import { findCodex } from '../support/client/codex-client.ts'
import { startClientTeam, type ClientTeam } from '../support/keeper/client-team.ts'
import { InstalledBuilds } from '../support/keeper/installed-builds.ts'
import { startKept, startKeptFrom, type KeptApp } from '../support/keeper/kept-app.ts'
import { appServes, killApp } from '../support/keeper/kill-app.ts'
import { isHeavy, runs } from '../support/runner/heavy.ts'
import { lacks } from '../support/runner/lacks.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { readStore } from '../support/store/folder.ts'

/** Kills and restarts at random moments, under real clients with subagents that never pause. */

const KILLS = runs(2, 500)
const RESTARTS = runs(2, 100)
const MIGRATIONS = runs(1, 20)
const LONGEST_LIFE_MS = runs(1500, 3000)
const LONGEST_ANSWER_MS = 1500
/** What was answered within this time before a kill may not be recorded yet; few kills alone say nothing of it. */
const UNWRITTEN_MS = isHeavy ? 2000 : 60_000
const TIME_LIMIT_MS = isHeavy ? 5 * 60 * 60_000 : 480_000

describe.skipIf(lacks(findClaude() !== null) || lacks(findCodex() !== null))(
  'the real clients, at random moments',
  () => {
    let folder: TempFolder
    let team: ClientTeam
    beforeEach(async () => {
      folder = makeTempFolder('aspy-clients-')
      team = await startClientTeam(folder.path, LONGEST_ANSWER_MS)
    })
    afterEach(async () => {
      await team[Symbol.asyncDispose]()
      folder.remove()
    })
    const data = () => join(folder.path, 'data')

    /** Once the clients work, something happens to their app. The first run that fails ends it. */
    async function underClients(work: (failed: AbortSignal) => Promise<void>): Promise<void> {
      const [ending, failed] = [new AbortController(), new AbortController()]
      const clients = team.work(data(), ending.signal).catch((error: unknown) => {
        failed.abort(error)
        throw error
      })
      const begun = expect.poll(() => team.asked.size > 4 || failed.signal.aborted).toBe(true)
      await Promise.all([clients, begun.then(() => work(failed.signal)).finally(() => ending.abort())])
    }

    const missing = () => {
      const texts = readStore(join(data(), 'lifestats.db'), (db) =>
        db.prepare<[], string>('SELECT content FROM assistant_responses').pluck().all(),
      )
      const stored = new Set(texts.flatMap((text) => /ended (\w+)\./.exec(text)?.[1] ?? []))
      return team.got.filter(({ id }) => !stored.has(id))
    }
    const passed = async () =>
      Object.values((await askKeeper(data(), 'status'))?.passed.requests ?? {}).reduce((sum, each) => sum + each, 0)
    const report = (what: string, more: string) => {
      const again = [...team.asked.values()].map((times) => times.length - 1)
      console.log(
        `${what}: ${JSON.stringify(Object.fromEntries(team.runs))} runs, ${again.length} requests, ` +
          `${again.filter((count) => count > 0).length} asked again, ${Math.max(...again)} times at most; ${more}`,
      )
    }

    test(
      'kills: no run fails, each kill costs a request one repetition, and nothing older than the lag is lost',
      async () => {
        await using _ = await startKept(data(), team.url)
        const kills: { readonly from: number; readonly to: number }[] = []
        await underClients(async (failed) => {
          while (kills.length < KILLS && !failed.aborted) {
            await appServes(data())
            await pause(LONGEST_LIFE_MS * Math.random())
            const from = performance.now()
            await killApp(data())
            kills.push({ from, to: performance.now() })
            if (kills.length % 20 === 0) report(`${kills.length} kills, ${new Date().toISOString()}`, 'so far')
          }
        })
        const tooOften = [...team.asked].filter(([, times]) => {
          const [first = 0, last = 0] = [times[0], times.at(-1)]
          return times.length - 1 > kills.filter(({ from, to }) => to >= first && from <= last).length
        })
        const isUnwritten = ({ doneAt }: { readonly doneAt: number }) =>
          kills.some(({ to }) => to >= doneAt && to - doneAt < UNWRITTEN_MS)
        const lost = () => missing().filter((answer) => !isUnwritten(answer)).length
        const passedBy = await passed()
        await expect.poll(lost).toBeLessThanOrEqual(passedBy)
        report(
          `${kills.length} kills`,
          `${passedBy} passed by; of ${team.got.length} answers ${missing().length} not recorded, ` +
            `${missing().length - lost()} of them just before a kill`,
        )
        expect(tooOften).toEqual([])
      },
      TIME_LIMIT_MS,
    )

    test.each([
      ['between two builds', RESTARTS, 0],
      ['each over a migration', MIGRATIONS, 1],
    ])(
      'restarts %s: nothing is cut or repeated, and what is not recorded has passed by',
      async (what, count, migrations) => {
        const builds = new InstalledBuilds(folder.path)
        builds.add('build-0')
        builds.install('build-0')
        await using _: KeptApp = await startKeptFrom(builds.entry, data(), team.url)
        await underClients(async (failed) => {
          for (let round = 1; round <= count && !failed.aborted; round += 1) {
            const name = `build-${migrations === 0 ? round % 2 : round}`
            if (migrations > 0 || round === 1) builds.add(name, round * migrations)
            await pause(LONGEST_LIFE_MS * Math.random())
            builds.install(name)
            expect(await aspy(['restart', '--data', data()])).toMatchObject({ code: 0, stderr: '' })
          }
        })
        expect([...team.asked].filter(([, times]) => times.length > 1)).toEqual([])
        // On a machine that is busy, what the app has not taken within 3 s passes by.
        const passedBy = await passed()
        await expect.poll(() => missing().length).toBeLessThanOrEqual(passedBy)
        report(
          `${count} restarts ${what}`,
          `${passedBy} passed by; of ${team.got.length} answers ${missing().length} not recorded`,
        )
      },
      TIME_LIMIT_MS,
    )
  },
)

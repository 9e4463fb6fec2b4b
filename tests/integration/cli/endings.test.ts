import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { ASPY_ENTRY, aspy, startAspy } from '../../support/app/aspy-command.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { surfaceHistory } from '../../support/app/surface-history.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { writeTranscripts } from '../../support/store/generated-transcripts.ts'
import { fillStore } from '../../support/store/seeded-store.ts'

/** Names in the data folder that no ended command may leave. */
const leftovers = (data: string) =>
  readdirSync(data).filter((name) => name === 'app.json' || name.startsWith('.import-'))

function answersIn(data: string): number {
  const db = new Database(join(data, 'lifestats.db'), { readonly: true })
  try {
    return Number(db.prepare('SELECT count(*) FROM api_usage').pluck().get())
  } finally {
    db.close()
  }
}

describe('SIGTERM', () => {
  heavily(test)(
    'in the middle of an import or an export ends it in order; the next import completes it, and no file is left',
    async () => {
      using folder = makeTempFolder('aspy-endings-')
      const [data, transcripts] = [join(folder.path, 'data'), join(folder.path, 'transcripts')]
      const written = writeTranscripts(transcripts, { seed: 'ending', bytes: 6e6, bytesPerFile: 2e6 })
      const first = startAspy(['import', transcripts, '--data', data])
      const database = join(data, 'lifestats.db-wal')
      await until('it has begun to write', async () => existsSync(database) && statSync(database).size > 1_000_000)
      first.child.kill('SIGTERM')
      expect(await first.finished).toMatchObject({
        code: 0,
        signal: null,
        stdout: '',
        stderr: expect.stringMatching(/Stopped\. Imported events are kept, and the next import resumes here\.\n$/),
      })
      expect(leftovers(data)).toEqual([])
      expect(await aspy(['import', transcripts, '--data', data])).toMatchObject({ code: 0 })
      expect(answersIn(data)).toBe(written.calls)

      const out = join(folder.path, 'out.jsonl')
      const running = startAspy(['export', '--out', out, '--data', data])
      await until('it has begun to write', async () => existsSync(out) && statSync(out).size > 0)
      running.child.kill('SIGTERM')
      expect(await running.finished).toMatchObject({
        code: 0,
        signal: null,
        stderr: 'Stopped. No file was written, because the export is incomplete.\n',
      })
      expect(existsSync(out)).toBe(false)
      expect(leftovers(data)).toEqual([])
    },
  )

  test('in a demo that is starting ends it in order and removes its folder', async () => {
    using folder = makeTempFolder('aspy-endings-')
    const running = startAspy(['--demo', '--no-open'], { TMPDIR: folder.path })
    await until('its folder is there', async () => readdirSync(folder.path).length > 0)
    // In the very first moments the signal itself may end it; its folder goes in any case.
    await until('its keys are there', async () =>
      readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).some((name) => name.endsWith('token')),
    )
    running.child.kill('SIGTERM')
    const stderr = 'Preparing the demo …; Ctrl+C ends it\n'
    // No address: the demo was not written to its end before.
    expect(await running.finished).toEqual({ code: 0, signal: null, stdout: '', stderr })
    expect(readdirSync(folder.path)).toEqual([])
  })
})

test('a command that would read an empty demo says so', async () => {
  const { code, stdout, stderr } = await aspy(['sessions', '--demo'])
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    'aspy: sessions has no demo; start one with aspy --demo, and pass the folder that it prints with --data\n',
  ])
})

heavily(test)('a demo that is left ends, and its folder goes', async () => {
  using folder = makeTempFolder('aspy-endings-')
  const running = startAspy(['--demo', '--no-open'], { TMPDIR: folder.path })
  const [, app = '', key = ''] = /(http:\S+)\/#key=(\S+)/.exec(await running.firstLine) ?? []
  const left = await fetch(`${app}/api/demo/leave`, { method: 'POST', headers: { authorization: `Bearer ${key}` } })
  expect(await left.json()).toEqual({ link: null })
  expect(await running.finished).toMatchObject({ code: 0, signal: null })
  expect(readdirSync(folder.path)).toEqual([])
})

describe('export --out', () => {
  test('says in a line what to do about a path that cannot be created, and changes nothing', async () => {
    using folder = makeTempFolder('aspy-endings-')
    fillStore(folder.path, surfaceHistory())
    const there = join(folder.path, 'there.jsonl')
    writeFileSync(there, 'mine')
    const attempt = async (out: string) => {
      const { code, stdout, stderr } = await aspyHere(['export', '--out', out, '--data', folder.path])
      expect([code, stdout]).toEqual([2, ''])
      return stderr
    }
    expect(await attempt(there)).toBe(
      `aspy: ${there} exists already and was not changed; choose another file with --out, or remove it\n`,
    )
    expect(readFileSync(there, 'utf8')).toBe('mine')
    expect(await attempt(folder.path)).toContain('exists already')
    const missing = join(folder.path, 'no', 'such')
    expect(await attempt(join(missing, 'out.jsonl'))).toBe(
      `aspy: there is no folder ${missing}; create it, or choose another file with --out\n`,
    )
    expect(await attempt(join(there, 'out.jsonl'))).toBe(
      `aspy: ${there} is not a folder; choose another file with --out\n`,
    )
    const good = join(folder.path, 'good.jsonl')
    expect(await aspyHere(['export', '--out', good, '--data', folder.path])).toMatchObject({ code: 0, stderr: '' })
    expect(statSync(good).mode & 0o777).toBe(0o600)
    expect(readFileSync(good, 'utf8').split('\n')[0]).toBe('{"aspy_export":1}')
  })
})

describe('standard output', () => {
  /** Runs a command whose output goes to a file, or to a reader that has already left. */
  async function write(output: number | 'left', ...args: string[]): Promise<{ code: unknown; stderr: string }> {
    const child = spawn(process.execPath, [ASPY_ENTRY, ...args], {
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' },
      stdio: ['ignore', output === 'left' ? 'pipe' : output, 'pipe'],
    })
    child.stdout?.destroy()
    const closed = once(child, 'close')
    const stderr = child.stderr === null ? '' : await text(child.stderr)
    return { code: (await closed)[0], stderr }
  }

  test('may close early, as with head', async () => {
    using folder = makeTempFolder('aspy-endings-')
    fillStore(folder.path, surfaceHistory())
    // Whatever else uses the usual ports on this machine.
    const doctor = ['doctor', '--port', '0', '--proxy-port', '0', '--tunnel-port', '0']
    for (const args of [['recent', '--json'], ['sessions'], doctor, ['export']])
      expect([args[0], await write('left', ...args, '--data', folder.path)]).toEqual([args[0], { code: 0, stderr: '' }])
  })

  test('is reported if the disk is full', { skip: !existsSync('/dev/full') }, async () => {
    using folder = makeTempFolder('aspy-endings-')
    fillStore(folder.path, surfaceHistory())
    const full = openSync('/dev/full', 'w')
    try {
      for (const command of ['stats', 'export'])
        expect([command, await write(full, command, '--data', folder.path)]).toEqual([
          command,
          {
            code: 1,
            stderr: expect.stringMatching(/^aspy: standard output cannot be written, so it is incomplete: ENOSPC.*\n$/),
          },
        ])
    } finally {
      closeSync(full)
    }
  })
})

heavily(describe)('what was deleted', () => {
  test('is left out by imports of transcripts and exports, which say how much', async () => {
    using folder = makeTempFolder('aspy-endings-')
    const data = join(folder.path, 'data')
    const transcripts = join(folder.path, 'transcripts')
    mkdirSync(transcripts)
    for (const session of ['s-kept', 's-gone']) {
      const lines = ['one', 'two', 'three'].map((word, index) => ({
        type: 'user',
        uuid: `${session === 's-kept' ? '1' : '2'}1111111-1111-4111-8111-11111111111${index}`,
        parentUuid: null,
        sessionId: session,
        timestamp: `2026-11-01T10:0${index}:00.000Z`,
        cwd: '/home/user/project',
        version: '2.1.330',
        isSidechain: false,
        message: { role: 'user', content: `Where is marmalade ${word} of ${session}?` },
      }))
      writeFileSync(join(transcripts, `${session}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    }
    const at = ['--data', data]
    expect(await aspyHere(['import', transcripts, ...at])).toMatchObject({ code: 0 })
    const exported = join(folder.path, 'all.jsonl')
    expect(await aspyHere(['export', '--out', exported, ...at])).toMatchObject({ code: 0 })
    const gone = readFileSync(exported, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"session_id":"s-gone"')).length
    expect(gone).toBeGreaterThanOrEqual(3)
    expect(await aspyHere(['delete', 's-gone', '--yes', ...at])).toMatchObject({ code: 0 })

    const again = await aspyHere(['import', exported, ...at])
    expect(again.stdout).toContain(`, ${gone} left out because their session was deleted`)
    const asJson = await aspyHere(['import', exported, '--json', ...at])
    expect(JSON.parse(asJson.stdout)).toMatchObject({ events_added: 0, events_deleted: gone })

    const own = await aspyHere(['import', join(transcripts, 's-gone.jsonl'), ...at])
    expect(own).toMatchObject({ code: 0, stderr: 'Nothing was imported.\n' })
    expect(own.stdout).toContain('1 of 1 file: 0 events, 0 already known, 1 file left out: you deleted the session')
    const others = join(folder.path, 'others')
    mkdirSync(others)
    writeFileSync(join(others, 'other.jsonl'), '{"some":"words"}\n')
    expect(await aspyHere(['import', others, ...at])).toMatchObject({ code: 1, stderr: 'Nothing was imported.\n' })

    // A line of the deleted session that the last import had not read.
    writeFileSync(
      join(transcripts, 's-gone.jsonl'),
      readFileSync(join(transcripts, 's-gone.jsonl'), 'utf8').replaceAll('marmalade', 'the marmalade'),
    )
    const read = await aspyHere(['import', transcripts, '--json', ...at])
    expect(JSON.parse(read.stdout)).toMatchObject({ events_added: 0 })
    expect((JSON.parse(read.stdout) as { events_deleted: number }).events_deleted).toBeGreaterThanOrEqual(3)
  })
})

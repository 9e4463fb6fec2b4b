import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemdUnit } from '../../../src/main/login-service/login-service.ts'
import { lacks } from '../../support/runner/lacks.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

const ANALYZE = '/usr/bin/systemd-analyze'

test.skipIf(lacks(existsSync(ANALYZE)))('systemd itself finds no fault in the unit of the login service', () => {
  using folder = makeTempFolder()
  const faultsIn = (name: string, unit: string) => {
    const file = join(folder.path, name)
    writeFileSync(file, unit)
    const env = { XDG_RUNTIME_DIR: folder.path, HOME: folder.path }
    return spawnSync(ANALYZE, ['--user', 'verify', file], { env, encoding: 'utf8' }).stderr
  }
  const unit = systemdUnit({
    command: [process.execPath, '/as"py$HOME/100%', 'serve', '--wait', '--data', '/home/me/<data> & more'],
    env: { HTTPS_PROXY: 'http://me:p%40$s@proxy:3128' },
    logFile: '/serve.log',
  })
  expect(faultsIn('aspy.service', unit)).toBe('')
  expect(faultsIn('other.service', unit.replace('RestartSec', 'RestartSecs'))).toContain('RestartSecs')
})

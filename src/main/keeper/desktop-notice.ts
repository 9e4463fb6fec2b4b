import { execFile } from 'node:child_process'

/** Time limit in ms; on Windows the notice ends with its program. */
const LIMIT_MS = 20_000

/** Shows a notice on the person's desktop, by a program of the system. Resolves with false if there is none or it fails. */
export function showDesktopNotice(title: string, text: string): Promise<boolean> {
  const [program, ...args] = noticeCommand(title, text, process.platform)
  return new Promise((resolve) => {
    execFile(program, args, { timeout: LIMIT_MS, windowsHide: true }, (error) => resolve(error === null))
  })
}

/** Returns the command that shows a notice. The title has no quotes. */
export function noticeCommand(title: string, text: string, platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin')
    return [
      'osascript',
      '-e',
      `display notification "${text.replaceAll(/["\\]/g, String.raw`\$&`)}" with title "${title}"`,
    ]
  if (platform !== 'win32') return ['notify-send', '--app-name=Aspy', title, text]
  const script = [
    "$ErrorActionPreference = 'Stop'",
    'Add-Type -AssemblyName System.Windows.Forms, System.Drawing',
    '$notice = New-Object System.Windows.Forms.NotifyIcon',
    '$notice.Icon = [System.Drawing.SystemIcons]::Warning',
    '$notice.Visible = $true',
    `$notice.ShowBalloonTip(10000, '${title}', '${text.replaceAll("'", "''")}', 'Warning')`,
    'Start-Sleep 10',
    '$notice.Dispose()',
  ]
  return ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', script.join('; ')]
}

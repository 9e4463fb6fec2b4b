import { listed } from './listed.ts'
import type { Handing } from './handings.ts'

/** A code for when the second factor is lost; several of them, one after the other. */
const CODE = String.raw`[A-Za-z0-9]{4,6}(?:-[A-Za-z0-9]{4,6}){1,3}|(?=[A-Za-z]{0,11}\d)[A-Za-z0-9]{8,12}|\d{4} ?\d{4}`
const BETWEEN = String.raw`(?:\\{0,7}["'\x60])?(?: ?,)?(?:\s|\\+[nrt]){1,20}(?:(?:[-*\u2022]|\d{1,2}[.)])[ \t]{1,4})?(?:\\{0,7}["'\x60])?`

/** Words of wallets, codes and seeds of second factors, keys of networks and block chains, after what says so. */
export const CODE_HANDINGS: readonly Handing[] = [
  // The words of a wallet.
  {
    anchors: listed(
      'MNEMONIC|mnemonic|Mnemonic|eed phrase|eed words|assphrase|eed: |ecovery phrase|ecret phrase|' +
        'SEED_PHRASE|seedPhrase|seed_phrase',
    ),
    value:
      /^((?:[^A-Za-z\n]{0,8}?|[^\n:]{0,40}:)(?:is )?(?:\\n|\s){0,6}\\{0,7}["'`]?)((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z])/,
  },
  {
    anchors: ['1. ', '1) ', '1: '],
    before: /(?:words?|phrase|mnemonic|seed|wallet|recovery)\b[^\n]{0,80}(?:\n|\\n)(?:[\s|│]|\\n){0,12}$/i,
    value: /^()([a-z]{3,8}(?:(?:[\s|│]|\\n){1,24}\d{1,2}[.):][ \t]{1,4}[a-z]{3,8}){11,23})(?![a-z])/,
  },
  {
    // Begin with letters that are rare, since each anchor costs at every place that begins like it.
    anchors: ['overy codes', 'overy Codes', 'ackup codes', 'ackup Codes', 'y_codes', 'yCodes', 'p_codes', 'pCodes'],
    value: new RegExp(
      String.raw`^((?:\\*["']?\s{0,4}[:=]>?\s{0,4}\[|[^\n\[:\d\\]{0,60}(?::[ \t]{1,4}(?=\S)|:?[ \t]{0,4}(?=\n|\\n)))(?:${BETWEEN}|\\*["'])?)((?=[^:]{0,40}\d)(?:${CODE})(?:(?:${BETWEEN}|\\*["'],\\*["'])(?:${CODE})(?![\w-])){1,19})`,
    ),
  },
  // What unlocks a disk of Windows.
  {
    anchors: listed('ecovery key|ecovery Key|ecoveryPassword|ecovery password|erical Password|itLocker|eyProtector'),
    value: /^([^\n]{0,120}?(?:\n[^\n]{0,120}){0,6}?)(\d{6}(?:-\d{6}){7})(?![\d-])/,
  },
  { anchors: ['assword:'], value: /^((?:\s|\\[rn]){1,40})(\d{6}(?:-\d{6}){7})(?![\d-])/ },
  // Bytes of a key in a program.
  {
    anchors: listed(
      'key[|Key[|KEY[|ecret[|ECRET[|ey = []byte{|ey := []byte{|ey = bytes([|ey = bytearray([|ey: [u8; |' +
        'ey = new byte[]',
    ),
    value: /^([^\n={]{0,24}(?:=\s{0,4})?[&*]?[[{]?\s{0,8})((?:0x[\da-fA-F]{1,2},\s{0,12}){7,63}0x[\da-fA-F]{1,2})/,
  },
  // The key that a call encrypts with.
  {
    anchors: ['crypt('],
    value: /^((?:[^"'`\n()]{0,80},)?\s{0,4}\\{0,7}["'`])([\da-fA-F]{32}|[\da-fA-F]{48}|[\da-fA-F]{64})(?=\\{0,7}["'`])/,
  },
  {
    anchors: ['crypt('],
    value: /^([^"'`\n()]{0,80},\s{0,4}\\{0,7}["'`])([^"'`\n\\]{12,200})(?=\\{0,7}["'`])/,
    isDrawn: true,
  },
  // What openssl prints of a key.
  {
    anchors: ['priv:', 'rivateExponent:', 'prime1:', 'prime2:'],
    value: /^((?:\s|\\+[nrt]){1,40})((?:[\da-f]{2}:(?:\s|\\+[nrt]){0,40}){8,600}[\da-f]{2})/,
  },
  { anchors: ['key='], before: /salt=[\dA-F]{16}(?:\s|\\[rn]){1,4}$/, value: /^()([\dA-F]{32,64})\b/ },
  // A code of a second factor.
  {
    anchors: listed('fication code|ecurity code|ogin code|2FA code|MFA code|OTP code|gscode'),
    value: /^((?: is| lautet| ist|:):? {0,2}[*`"']{0,2})(\d{3}[ -]?\d{3,5})(?![\w.-]*\d)/,
  },
  // The seed of a second factor.
  {
    anchors: ['TOTP', 'totp', 'OTP seed', '2FA', '2fa', 'MFA', 'uthenticator'],
    value: /^([^\n:=]{0,24}[:= ]\s{0,3}[*]{0,2}["'`]?)((?:[A-Z2-7]{4}[ -]?){4,16}[A-Z2-7]{0,4})(?![\w-])/,
    isMixed: true,
  },
  {
    anchors: ['tup key', 'ecret key', 'is key in your auth', 'uthenticator app'],
    value: /^([^\n:=]{0,60}:[ \t]{0,3}[*`]{0,2})((?:[a-zA-Z2-7]{4}[ -]){3,15}[a-zA-Z2-7]{2,4})(?![\w-])/,
    isMixed: true,
  },
  // A pair of keys as a list of numbers.
  {
    anchors: ['eypair', 'ecretKey', 'id.json', 'olana', 'rivateKey', 'RIVATE_KEY'],
    value: /^([^\n[]{0,40}(?:\n|\\n)?\s{0,4}\[\s{0,8})((?:\d{1,3},\s{0,8}){63}\d{1,3})(?!\s*,)/,
  },
  // A network of radio, as a QR code has it and as Windows shows it.
  { anchors: ['WIFI:'], value: /^([^\s"'`]{0,100}?[:;]P:)([^\s;"'`\\]{3,100})(?=;)/ },
  {
    anchors: ['WLAN', 'Wi-Fi', 'WiFi', 'Wifi', 'wifi'],
    value:
      /^([^\n]{0,60}?[ \t(](?:key|code|PSK|Schlüssel|[Pp]assw(?:ord|ort))(?:[ \t](?:is|ist))?:?[ \t]\\{0,7}["'`]?)((?!WPA|WEP|802|[a-z]{3,}\d{0,4}\b)(?=[^\s"'`,;]{0,62}\d)[^\s"'`,;\\<>]{8,63}?)(?=[.,;)]?(?:[\s"'`\\]|$))/,
  },
  { anchors: ['Key Content'], value: /^(\s{1,20}: )([^\s"'`\\]{4,100})/ },
  { anchors: ['SSID'], value: /^([^\n]{1,60}(?:\n|\\n)[ \t]{0,8}Key[ \t]{0,8}[:=][ \t]{0,4})([^\s\\]{4,100})/ },
  // Seeds and keys of block chains and of signatures.
  {
    anchors: ['seed', 'Seed', 'SEED'],
    value: /^(\\*["']?(?:[ \t]?[:=]|[ \t](?:is\b)?)[ \t]{0,4}\\*["']?(?:0x)?)([\da-f]{64})\b/i,
  },
  { anchors: ['WIF'], value: /^(\\*["']?[ \t:=]{1,4}\\*["']?)([5KLc9][1-9A-HJ-NP-Za-km-z0IOl]{50,51})\b/ },
  // The address of a calendar that nobody else knows.
  { anchors: ['/private-'], value: /^()([\da-f]{32})(?=\/)/ },
  {
    anchors: listed(
      '/ipk |-ipk |icense key|icense Key|roduct key|roduct Key|ProductKey|productKey|product_key|PRODUCT_KEY|' +
        'PIDKEY|rial:|ial number:|SERIAL=|SERIAL:|LICENSE_KEY|vation key|vation code',
    ),
    value: /^([^\n]{0,40}?(?:\n\s{0,20}<Key>)?)((?:[A-Z\d]{2}-)?(?:[A-Z\d]{4,6}-){3,7}[A-Z\d]{4,6})(?![\w-])/,
    isMixed: true,
  },
  // A host, a user and a password: a map of Postfix.
  {
    anchors: [']:587', ']:465', ']:2525', ']:25', ']:submission', ']:smtps'],
    value: /^((?:[ \t]|\\t){1,20}[\w.@+-]{1,80}:)([^\s"'`\\]{4,200})/,
  },
  {
    anchors: ['sl_password_maps'],
    value: /^(\s?=\s?static:[\w.@+-]{1,80}:)([^\s"'`\\]{4,200})/,
    isMixed: true,
  },
  {
    anchors: ['sasl_passwd', 'sasl/passwd'],
    value:
      /^([^\n]{0,60}(?:\n|\\n)\[?[\w.-]{3,80}\]?(?::\w{2,10})?(?:[ \t]|\\t){1,20}[\w.@+-]{1,80}:)([^\s"'`\\]{4,200})/,
  },
  // A user and a password, each on its line.
  {
    anchors: ['<auth-user-pass>'],
    value: /^((?:\s|\\+[rn]){1,4}[\w.@+-]{1,60}(?:\s|\\+[rn]){1,4})([^\s"'`\\<]{3,100})/,
  },
  {
    anchors: listed('auth|login|pass|userpass|creds|credentials')
      .flatMap((name) => [`${name}.txt`, `${name}.conf`])
      .concat('/auth\n'),
    value:
      /^((?:[ \t][^\n]{0,80}|["'`:)]{0,3})(?:(?<=\n)|\r?\n|\\n)[\w.@+-]{2,60}(?:\r?\n|\\n))([^\s"'`\\]{8,100})(?=[ \t]*(?:[\r\n]|\\n|["'`]|$))/,
    isDrawn: true,
  },
]

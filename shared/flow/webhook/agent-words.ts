import { plainText } from '../../tool-import/wording.ts'

/**
 * Returns an agent's text for a notice: one line of at most `most` characters without linkable addresses. Mail
 * clients and chats turn schemes, host names and e-mail addresses into links, so that a summary could otherwise
 * offer a page of its own beside the service's: `https://pay.example` becomes `https[:]//pay[.]example`. Numbers
 * stay unchanged.
 */
export function agentWords(text: string, most: number): string {
  return plainText(withoutLinks(plainText(text, most)), most)
}

function withoutLinks(text: string): string {
  return text
    .replace(/(?<=[\p{L}\p{N}\p{M}_-])[.\u3002\uff0e\uff61](?=[\p{L}_])/gu, '[.]')
    .replace(/:(?=\/\/)|(?<=\b(?:mailto|tel|sms|callto|skype|facetime|data|javascript)):(?=\S)/giu, '[:]')
    .replace(/(?<=\S)[@\uff20](?=\S)/gu, '[@]')
}

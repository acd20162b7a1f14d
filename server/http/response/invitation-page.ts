import { createHash } from 'node:crypto';

const STYLE = `
body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:12vh auto;padding:0 1rem;color:#1b1f24;background:#fff}
h1{font-size:1.4rem}label{display:block;margin:1rem 0}
input{display:block;width:100%;box-sizing:border-box;padding:.5rem;margin-top:.25rem;border:1px solid #8a929b;border-radius:4px;font:inherit}
button{padding:.5rem 1rem;border:0;border-radius:4px;background:#1f5fbf;color:#fff;font:inherit}
button:disabled{opacity:.6}small{color:#57606a}[role=status]{margin-top:1rem;min-height:1.5rem}
@media(prefers-color-scheme:dark){body{color:#e6e8eb;background:#16191d}small{color:#9aa4af}input{background:#22272e;color:inherit}}
`;

// The script only reads the token, which is in the path of this page.
const SCRIPT = `
const form=document.forms[0],status=document.querySelector('[role=status]'),button=form.querySelector('button');
form.addEventListener('submit',async(event)=>{
event.preventDefault();button.disabled=true;status.textContent='';
const token=location.pathname.split('/').pop(),email=form.email.value,password=form.password.value;
try{
const answer=await fetch('/api/invitations/accept',{method:'POST',headers:{'content-type':'application/json'},
body:JSON.stringify({token,email,...(password&&{password})})});
const body=await answer.json();
if(answer.ok){form.hidden=true;status.textContent='You are a member of '+body.organization.name+' now.';return}
status.textContent=body.error;
}catch{status.textContent='The service does not answer. Try again.'}
button.disabled=false;
});
`;

/** The page on which an invitee accepts. It is the same for every link, so it reveals nothing. */
export const INVITATION_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Accept an invitation</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Accept an invitation</h1>
<form>
<label>Your invited e-mail address
<input name="email" type="email" autocomplete="username" required></label>
<label>Password
<input name="password" type="password" autocomplete="current-password" minlength="12" maxlength="256">
<small>For a new account, choose a password of at least 12 characters. Otherwise enter your current one.</small></label>
<button>Accept</button>
</form>
<div role="status"></div>
<noscript>This page needs JavaScript.</noscript>
<script>${SCRIPT}</script>
</body>
</html>
`;

/** Allows only what the page contains, and sends no referrer, which would contain the link. */
export const INVITATION_PAGE_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `script-src '${digest(SCRIPT)}'`,
    `style-src '${digest(STYLE)}'`,
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
};

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

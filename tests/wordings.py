"""Turns of agents by what they do, written before the rules that tell them apart were tuned.

Every third of a list was kept aside while the rules were written.
"""

ASKS = """\
Please confirm and I'll go ahead.
I found two contacts called Daniel, Daniel Reyes and Daniel Reyna. Let me know which one you mean.
I'd need the number to send the text.
Just say the word and I'll send it.
Tell me which one you would like me to delete.
The reminder is ready to be set for 7:30 AM on January 1. Awaiting your confirmation.
To send this I need to turn on cellular service first. Please let me know if that's okay.
I'll need a date and a time for the reminder.
Before I delete anything, please confirm that you want all three gone.
Could you give me the phone number, please.
What time should it be
Which Priya do you mean, Priya Raman or Priya Nair.
shall i go ahead
Should I send it to Katherine Lindqvist.
Here is what I would send: "We've landed and are waiting for our bags." Say yes and it goes out.
I'm ready to send the text; just give me the go-ahead.
I can turn on the wifi for you if you'd like.
If you want me to switch on cellular service, just let me know.
Please specify which store.
Please provide the message that I should send.
I'm waiting for your go-ahead before I delete the contact.
I'm not sure which of the two Haddads you mean.
There are two shops by that name, one on Haight and one on Telegraph. Please choose one.
I will delete these reminders once you confirm:
- Take out the bins
- Call the plumber
Your call: Friday or Saturday.
It's up to you whether I delete the reminder too.
Reply "yes" to confirm.
Kindly clarify what the reminder should say.
Do you want me to text her
Who is Moose. I don't see that name in your contacts.
Can you tell me the city and the date of the wedding so that I can look up the forecast.
I still need to know the currency.
Can't send it while cellular is off. Want me to turn it on.
Cellular service is off. I can turn it on and then send your message, if that's all right with you.
With your permission I'll turn off low battery mode.
Ready to send when you are.
Give me the green light and I'll text Nadia.
Before I go on, I would like to make sure that this is the right person: Kat Lindholm, coworker.
I just want to double-check that you mean Daniel Reyna, the plumber.
To set the reminder I need the exact time, please.
Please tell me what the text should say.
I require your approval to change the settings.
Let me know if I should proceed.
Let me know if you'd like me to send this.
Let me know whether 7 pm works for you, and I'll set the reminder.
Happy to do that! Just let me know the time.
Sure, I can help with that! Please share your new number.
I have drafted this text for Nadia: "Bringing lasagna home. See you at 7!" Please confirm.
Once I have your okay, I'll delete Vinnie.
As soon as you confirm, it'll be sent.
I'd like to check one thing first: is it a number in the UK
You'd have to tell me which country's kroner these are.
You'll need to tell me your mother's city.
Type "confirm" and I will remove the four contacts.
Pick one: Paper Lantern on Haight Street, or Paper Lantern on Telegraph Avenue.
I was wondering which of your contacts is the new boss.
Mind confirming the address for me.
Is that right
Am I to delete both
Let me know the date and I'll put it down.
I need your confirmation.
Nothing has been deleted yet. I'm holding off until you say so.
Which day do you mean exactly?
Just to confirm: you want me to do this, right?
I'd text her "Are you coming?" Okay?
Shall I send "We've landed. We are waiting for our bags." to Katherine?
So, to sum up: a reminder for May 23 at 8 pm to pack the umbrella. If that's correct, I'll set it.
Missing: the recipient's number. Please send it to me.
I'm missing the phone number.
Your instructions would help: keep the old entry or replace it.
Say when and I'll send it.
Do I have your permission to turn off low battery mode.
It would help to know the street.
Would you mind if I turned on location service.
Let me know how you want to proceed.
How would you like to proceed.
Please advise.
Please verify that +44 20 7946 0991 is the right number, then I'll update it.
If you give me the address, I'll look it up.
The address, please.
Once you give me the address, I can order the taxi.
Please enter the address so I can continue.
"""

ANNOUNCES = """\
Sure, let me look into that.
One moment while I check.
One moment please.
Let me check your reminders.
I'll look that up for you right away.
Okay, I'm going to search your contacts for Katherine.
Hold on a second.
Give me a moment to find the number.
Of course! I'll text your sister now.
Checking your messages now...
Working on it.
On it!
I'm looking for the reminder.
Certainly. I will first find out today's date.
Got it. Let me find Nadia's number and send her the text.
Right away!
Looking into it.
Just a sec.
Hang on, I'm checking.
Bear with me while I look this up.
I'll get right on that.
No problem, I'll take care of it.
Alright, I'll go ahead and send that now.
I'll start by looking up your sister's number.
First, I'll check whether cellular service is on.
Thanks, that helps. I'll set the reminder now.
Let me turn on cellular service and try again.
I found Vinnie in your contacts. I'll delete him now.
The wifi is off, so I'm going to turn it on first.
I'll do that for you.
Will do.
Searching for the nearest gas station…
Let's see what your reminders say.
Understood. I'm now going to move the reminders.
Give me a second, please.
I'll see what I can find.
Sure thing! Let me pull up the weather forecast for tomorrow.
Allow me to verify the exchange rate.
Please wait while I send the message.
Please hold.
I'm on it.
Let me get that done for you.
I'll look into this and get back to you.
I'll let you know as soon as I've found it.
I'm about to send the message to Katherine.
I need a moment to look that up.
Great, sending it now.
Let me just calculate that.
Before anything else, let me check the date.
Thank you for the details! I'm going to add the contact now.
To begin, I'll look up Labor Day.
I will now convert 350 F to Celsius. This will only take a moment.
"""

REPORTS = """\
Done.
Done, I texted Katherine that you are running late.
I've sent the text to Nadia. Let me know if you need anything else!
Your reminder is set for tomorrow at 7 pm. Just let me know if there's anything else I can do.
I'll remind you tomorrow at seven in the evening.
All set! Feel free to reach out if you need more help.
The wifi is off now. If you need anything else, just ask.
I could not send it, the phone has no cellular service.
I'm sorry, I can't delete messages.
You have 12 hours and 40 minutes left.
350 degrees Fahrenheit are about 177 degrees Celsius.
I asked the plumber: "Does Saturday at ten still stand?"
I texted Daniel: Does Saturday at ten still stand?
I sent Kat this: “Are you coming to the book club on June 3rd?”
The last text says "Please confirm by Friday."
She wrote: "Let me know when you're free."
The text from +14155550199 says: “Your parcel is waiting. Where should we leave it?”
I've deleted the reminder. Have a great day!
It has been sent. Let me know how it goes!
Danny's contact now has the new number. Let me know if that changes again.
I've moved both reminders to Friday. Please let me know if you want any other changes.
Reminder set. Enjoy your lunch!
I've told Samira that you can't come. Get well soon!
There is no contact called Moose in your phone.
I looked for it everywhere and did not find it.
You need to be at the dentist's at 8:45.
Thank you for confirming. The contact has been deleted.
As you confirmed, I have deleted all three.
I've asked him to let you know whether Saturday still works.
I've texted her to tell you which day suits her.
I have everything I need, and the message is on its way.
I don't need anything else, it is done.
I turned on cellular service and sent the text.
I let Nadia know that you are bringing lasagna.
Sent. Cellular service is off again, as before.
Katherine knows that you have landed.
I'm afraid I have no way to look up stock prices.
You're welcome! Let me know if there is anything else.
Everything's taken care of. Just say the word if you need anything else.
Your contact card now shows (628) 555-0104. Don't hesitate to ask if you need further help.
I've set it for 7:30, and I'll remind you then.
You'll be reminded on Saturday at nine.
The weather on the 24th: rain, 14 degrees.
It is 2.02 miles, so not under two.
I sent the message as you asked.
The message "Where are you?" was sent to Bruno.
I have set the reminder. If you want to change it, you can do so at any time.
The number is updated; her entry is otherwise as it was.
Nothing is planned for that evening.
The reminder says: Let me know when the gate is fixed.
All done, and I let them know it was urgent. Please reach out any time.
Grandpa Joe has got your text; he'll let you know himself.
Unfortunately I can't tell what time it is.
I'm unable to look up the weather, so I have sent nothing.
I wasn't able to find a florist.
I am glad to hear it! Happy travels.
The text to Fred went out a moment ago.
Sent it to Katherine, and cellular stays on unless you want it off.
"""

HELD_OUT = 3


def turns(listing: str) -> list[str]:
    """Return the turns of a listing; a line that begins with a dash goes on with the last turn."""
    paragraphs: list[str] = []
    for line in listing.splitlines():
        if line.startswith("-"):
            paragraphs[-1] += "\n" + line
        else:
            paragraphs.append(line)
    return paragraphs
